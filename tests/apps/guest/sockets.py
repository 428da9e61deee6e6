# SPDX-License-Identifier: Apache-2.0
"""asyncio over the loopback interface: a server, fifty clients, subprocess pipes, a thread pool."""
import asyncio, hashlib  # noqa: E401


async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(hashlib.md5(line).hexdigest().encode() + b"\n")
        await writer.drain()
    writer.close()


async def client(port, n):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    out = []
    for i in range(20):
        writer.write(f"{n}:{i}\n".encode())
        out.append(await reader.readline())
    writer.close()
    return hashlib.md5(b"".join(out)).hexdigest()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    digests = await asyncio.gather(*(client(port, n) for n in range(50)))
    print(hashlib.md5("".join(digests).encode()).hexdigest())
    child = await asyncio.create_subprocess_exec("sort", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    print((await child.communicate(b"b\na\n"))[0], child.returncode)
    print(await asyncio.get_running_loop().run_in_executor(None, sum, range(1000)))
    server.close()


asyncio.run(main())
