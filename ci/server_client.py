#!/usr/bin/env python3
"""Speaks to a server through a client that openapi-python-client has made of its description.

    server_client.py CLIENT DESCRIPTION URL TOKEN-FILE

Every operation of the description must have become a module.
"""

import importlib
import io
import json
import keyword
import sys
from pathlib import Path


def main():
    folder, description, url, token = sys.argv[1:]
    sys.path.insert(0, folder)
    package = "lookalike_client"
    client = importlib.import_module(package).AuthenticatedClient(
        base_url=url, token=Path(token).read_text().strip())
    models = importlib.import_module(f"{package}.models")
    types = importlib.import_module(f"{package}.types")
    paths = json.loads(Path(description).read_text())["paths"].values()
    routes = {}
    for operation in (operation for item in paths for operation in item.values()):
        name = operation["operationId"]
        # What Python has already gets a line below.
        module = f"{name}_" if keyword.iskeyword(name) or name in ("list", "set") else name
        routes[name] = importlib.import_module(f"{package}.api.default.{module}")

    def call(name, **arguments):
        response = routes[name].sync_detailed(client=client, **arguments)
        assert response.status_code < 300, (name, response)
        return response.parsed

    assert call("health").status == "ok"
    text = "Dear neighbours, the roof of our house will be repaired in the first week of March."
    added = call("add", body=models.NamedText(id="a/b?", text=text, url="http://a.org/"))
    assert not added.replaced
    answer = call("check", body=models.TextCheck(text=text.upper(), threshold=0.9))
    assert (answer.keeper, answer.threshold) == ("a/b?", 0.9)
    assert answer.matches[0].kind == models.Kind.EXACT
    assert call("get", id="http://a.org/").text == text
    assert [found.id for found in call("browse", search="the roof").documents] == ["a/b?"]
    ranking = models.Ranking(results=[models.KnownDocument(id="a/b?"),
                                      models.TextDocument(text=text)])
    assert call("collapse", body=ranking).left_out[0].rank == 1
    pair = models.Pair(a=models.KnownDocument(id="a/b?"), b=models.TextDocument(text=f"{text} So."))
    assert call("compare", body=pair).difference.inserted == 1
    line = models.OperationType3(id="a/b?", op=models.OperationType3Op.REMOVE)
    lines = call("bulk", body=types.File(payload=io.BytesIO(json.dumps(line.to_dict()).encode())))
    removed = models.RemovedLine.from_dict(json.loads(lines.payload.read()))
    assert (removed.line, removed.removed) == (1, True)
    assert call("stats").documents == 0
    assert "lookalike_documents 0" in call("metrics")
    print(f"client: made of the description, with {len(routes)} routes")


main()
