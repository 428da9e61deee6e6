# SPDX-License-Identifier: Apache-2.0
"""Cases: servers under load on the loopback interface. The server runs under the engine, its clients natively. Every server listens
on a Unix socket or a port of its own choosing on 127.0.0.1, and the script ends it and waits for it."""

from harness import Case

# Waits until a command succeeds, for a minute at most.
AWAIT = 'await() { for i in $(seq 600); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; echo "never up: $*"; return 1; }\n'

# Debian's redis-server is redis-check-rdb under another name; the package that makes it a service is not wanted.
REDIS = AWAIT + r'''
ln -s "$(readlink -f "$(command -v redis-check-rdb)")" redis-server
run ./redis-server --port 0 --unixsocket $PWD/s --dir . --save '' --daemonize no --io-threads THREADS --logfile log & p=$!
await redis-cli -s s ping || { tail -5 log; exit 1; }
redis-benchmark -s $PWD/s -q -n REQUESTS -c 20 -t set,get,incr,lpush,rpop,sadd,hset,zadd,lrange_100,mset -r 500 --csv | cut -d, -f1
for i in $(seq 300); do echo "SET k$i $((i * i))"; done | redis-cli -s s --pipe | tail -1
redis-cli -s s get k77; redis-cli -s s eval 'local s = 0 for i = 1, 10000 do s = s + i % 7 end return s' 0
redis-cli -s s bgsave; await sh -c 'redis-cli -s s info persistence | grep -q rdb_bgsave_in_progress:0'; redis-check-rdb dump.rdb | tail -1 | grep -o 'RDB.*OK'
redis-cli -s s shutdown nosave; wait $p; echo "status $?"; grep -c 'ready to exit' log; grep -iE 'crash|assert|bug report' log; true
'''

NGINX_CONF = r'''
mkdir -p logs html tmp; seq 2000 > html/big; echo hello > html/index.html
cat > n.conf <<END
worker_processes WORKERS; daemon off; pid $PWD/n.pid; error_log $PWD/logs/error; user $(id -un);
events { worker_connections 128; }
http { access_log off; client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
  server { listen 127.0.0.1:$port; root $PWD/html; gzip on; gzip_types text/plain; default_type text/plain; } }
END
'''
# A port that was free a moment ago.
FREE_PORT = "port=$(python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])')\n"

NGINX = AWAIT + FREE_PORT + NGINX_CONF + r'''
run nginx -p . -c $PWD/n.conf -e $PWD/logs/error & p=$!
await test -s n.pid
python3 $GUEST/fetch.py $port / /big /missing
wrk -t2 -c16 -d2s http://127.0.0.1:$port/big > w; grep -E 'Non-2xx|Socket errors' w; awk '/requests in/ { print ($1 > 50) ? "served" : "slow" }' w
kill -HUP $(cat n.pid); sleep 0.5; python3 $GUEST/fetch.py $port /
kill -QUIT $(cat n.pid); wait $p; echo "status $?"; grep -E 'alert|emerg|signal 11' logs/error; true
'''

CASES = [
    Case("redis", REDIS.replace("THREADS", "1").replace("REQUESTS", "5000"), needs=("redis-check-rdb", "redis-benchmark"), timeout_s=240),
    Case("redis-io-threads", REDIS.replace("THREADS", "2").replace("REQUESTS", "500"), needs=("redis-check-rdb", "redis-benchmark"), timeout_s=240),
    Case("nginx", NGINX.replace("WORKERS", "2"), needs=("nginx", "wrk"), timeout_s=120),
]
