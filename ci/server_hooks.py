"""How schemathesis sends the body of a bulk request: the JSON lines that it made up."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return (json.dumps(value) + "\n").encode()
