# SPDX-License-Identifier: Apache-2.0
"""Fetches paths from 127.0.0.1, plain and compressed; prints status and digest of each. Arguments: port, paths."""
import gzip, hashlib, http.client, sys  # noqa: E401

for path in sys.argv[2:]:
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.getheader("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        print(path, answer.status, hashlib.md5(body).hexdigest())
