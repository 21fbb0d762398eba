"""How schemathesis speaks to bulk: it sends a line that it made up, and reads the answer to it."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return (json.dumps(value) + "\n").encode()


@schemathesis.deserializer("application/x-ndjson")
def answer(context, response):
    return json.loads(response.content.splitlines()[0])
