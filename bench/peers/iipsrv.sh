#!/bin/bash
# iipsrv behind nginx, its image cache off, quality 90.
#
#   bench/peers/iipsrv.sh PORT SOURCES IIPSRV NGINX [PROCESSES]
set -u
port=$1 sources=$(realpath "$2") iipsrv=$3 nginx=$4 processes=${5:-$(nproc)}
place=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null; wait; rm -rf "$place"; exit 0' TERM INT EXIT

export FILESYSTEM_PREFIX="$sources/" MAX_IMAGE_CACHE_SIZE=0 JPEG_QUALITY=90 MAX_CVT=5000 VERBOSITY=0 LOGFILE=$place/log
upstream=
for ((i = 0; i < processes; i++)); do
  "$iipsrv" --bind "$place/socket$i" --backlog 256 &
  started+=($!)
  upstream+="server unix:$place/socket$i; "
done
for ((i = 0; i < 100; i++)); do
  [ -S "$place/socket$((processes - 1))" ] && break
  sleep 0.05
done

parameters=
for pair in QUERY_STRING=query_string REQUEST_METHOD=request_method REQUEST_URI=request_uri SCRIPT_NAME=fastcgi_script_name \
  SERVER_PROTOCOL=server_protocol SERVER_NAME=server_name SERVER_PORT=server_port HTTP_HOST=http_host; do
  parameters+="fastcgi_param ${pair%=*} \$${pair#*=}; "
done
user=
[ "$(id -u)" = 0 ] && user="user root;"
cat >"$place/nginx.conf" <<CONF
daemon off; master_process off; worker_processes 1; pid $place/pid; error_log $place/errors warn; $user
events { worker_connections 256; }
http {
  access_log off; keepalive_requests 100000;
  client_body_temp_path $place/b; proxy_temp_path $place/p; fastcgi_temp_path $place/f; uwsgi_temp_path $place/u;
  scgi_temp_path $place/s;
  upstream iipsrv { least_conn; $upstream keepalive 8; }
  server {
    listen 127.0.0.1:$port;
    location = / { return 200 ok; }
    location / {
      $parameters
      fastcgi_pass iipsrv; fastcgi_read_timeout 300; fastcgi_buffers 64 64k; fastcgi_buffer_size 64k;
    }
  }
}
CONF
"$nginx" -c "$place/nginx.conf" -p "$place" -e "$place/errors" &
started+=($!)
wait
