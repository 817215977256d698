#!/bin/sh
# Starts the server of the local image. As in the official image, NEO4J_server_memory_heap_max__size in the environment
# is the setting server.memory.heap.max_size.
set -eu
home=/var/lib/neo4j
mkdir -p "$home/conf"
# Names in capitals, as NEO4J_AUTH, are no settings.
env | sed -n 's/^NEO4J_\([a-z][^=]*\)=/\1 /p' | while read -r name value; do
  echo "$(echo "$name" | sed 's/_/./g; s/\.\./_/g')=$value"
done >"$home/conf/neo4j.conf"

setting() { sed -n "s/^$1=//p" "$home/conf/neo4j.conf"; }
initial=$(setting server.memory.heap.initial_size)
most=$(setting server.memory.heap.max_size)

# In place of this shell, so that the server is the one that is told to end.
exec /opt/java/bin/java ${initial:+"-Xms$initial"} ${most:+"-Xmx$most"} \
  --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
  -cp '/opt/neo4j/classes:/opt/neo4j/lib/*' Container "$home"
