"""Changes what is in the store, for the tests beside it.

    store.py put FOLDER BUCKET     make the bucket, with the files of the folder as objects
    store.py delete BUCKET KEY

The endpoint and the credentials come from the environment, as boto3 has it.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3


def put(folder, bucket):
    store = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    store.create_bucket(Bucket=bucket)
    paths = [path for path in Path(folder).rglob("*") if path.is_file()]

    def put_file(path):
        # In one piece, not by parts as `upload_file` would.
        store.put_object(
            Bucket=bucket, Key=path.relative_to(folder).as_posix(), Body=path.read_bytes()
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put_file, paths))
    for path in Path(folder).rglob("*"):
        if path.is_dir():
            # Web consoles leave such markers of folders behind.
            store.put_object(Bucket=bucket, Key=path.relative_to(folder).as_posix() + "/")


def delete(bucket, key):
    store = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    store.delete_object(Bucket=bucket, Key=key)


{"put": put, "delete": delete}[sys.argv[1]](*sys.argv[2:])
