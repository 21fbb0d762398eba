"""How schemathesis speaks to bulk: it sends a line that it made up, and reads the answer to it.

A description can only say that bulk takes and gives bytes; what a line of them is stands beside it.
"""

import json

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    bulk = raw_schema["paths"]["/v1/bulk"]["post"]
    for part, kind in (bulk["requestBody"], "Operation"), (bulk["responses"]["200"], "LineAnswer"):
        schema = {"$ref": f"#/components/schemas/{kind}"}
        part["content"] = {"application/x-ndjson": {"schema": schema}}


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return (json.dumps(value) + "\n").encode()


@schemathesis.deserializer("application/x-ndjson")
def answer(context, response):
    return json.loads(response.content.splitlines()[0])
