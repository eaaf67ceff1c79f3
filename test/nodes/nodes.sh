# Installs the Nodes of test/nodes, and makes the folder $work that goes when the script ends. For `.` from the root.

if [ "$(uname -sm)" != "Linux x86_64" ]; then
  echo "The Nodes of test/nodes are for Linux on x64, found $(uname -sm)." >&2
  exit 1
fi
npm ci --prefix test/nodes --ignore-scripts --no-audit --no-fund --loglevel=error
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Some tests read as another user.
chmod 755 "$work"
nodes=$PWD/test/nodes/node_modules
newest_npm=$(realpath "$(command -v npm)")

# A PATH with this Node, an npm that comes with it and a shell, and nothing that could compile.
use_node() {
  local npm_cli=$newest_npm
  case $1 in node-20 | node-22*) npm_cli=$nodes/npm/bin/npm-cli.js ;; esac
  rm -rf "$work/bin"
  mkdir "$work/bin"
  ln -s "$nodes/$1/bin/node" "$work/bin/node"
  ln -s "$npm_cli" "$work/bin/npm"
  for tool in sh env; do ln -s "$(command -v "$tool")" "$work/bin/$tool"; done
}
with_node() { env PATH="$work/bin" "$@"; }
