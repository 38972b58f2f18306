#!/bin/sh
# try-image.sh IMAGE RUNTIME VERSION: starts an image, node or workerd, and fails unless it has this version and
# becomes healthy. DOCKER is the command, docker by default; RUN_OPTIONS are further options of its run.
set -eu
image=$1 runtime=$2 version=$3
docker=${DOCKER:-docker}
run_options=${RUN_OPTIONS:-}

label=$($docker image inspect --format '{{index .Config.Labels "org.opencontainers.image.version"}}' "$image")
test "$label" = "$version" || { echo "The image has the label $label, not $version." >&2; exit 1; }
if test "$runtime" = node; then
  said=$($docker run $run_options --rm --read-only "$image" version)
  test "$said" = "$version" || { echo "smalti version says $said, not $version." >&2; exit 1; }
fi

container=$($docker run $run_options --detach --read-only --tmpfs /tmp --cap-drop all --network none "$image")
trap '$docker rm --force --volumes "$container" >/dev/null' EXIT
for _ in $(seq 60); do
  # The image's own check, as its HEALTHCHECK has it.
  case $runtime in
    node) $docker exec "$container" /usr/local/bin/node /smalti/container/health.js && exit ;;
    workerd) $docker exec "$container" /usr/local/bin/workerd test /smalti/container/health.capnp && exit ;;
  esac
  sleep 1
done >/dev/null 2>&1
echo "The container is not healthy. Its log:" >&2
$docker logs "$container" >&2
exit 1
