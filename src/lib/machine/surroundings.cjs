// The executable contains Node, and Node takes orders from variables: NODE_OPTIONS loads code or opens a debugger,
// NODE_TLS_REJECT_UNAUTHORIZED accepts any certificate, OPENSSL_CONF loads libraries. People set them for other programs
// and do not know that this is one of Node. docs/decisions/036-configuration.md has the reasons.

/** Certificate authorities of an organisation: Node has no other place for them. */
const KEPT = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA']
const ORDERS = /^(NODE_|OPENSSL_(CONF|CONF_INCLUDE|ENGINES|MODULES)$)/i

/** The environment without what would be an order to Node; undefined if there is nothing of it. */
function withoutOrders(env) {
  const own = Object.entries(env).filter(([name]) => !ORDERS.test(name) || KEPT.includes(name.toUpperCase()))
  return own.length === Object.keys(env).length ? undefined : Object.fromEntries(own)
}

/** Node has read some of them by now, so the program begins anew, as the same process. Windows cannot do that. */
function leaveOrders(env, argv) {
  const own = withoutOrders(env)
  if (!own) return
  if (process.platform !== 'win32') process.execve(process.execPath, argv, own)
  for (const name of Object.keys(env)) if (!Object.hasOwn(own, name)) delete env[name]
}

module.exports = { leaveOrders, withoutOrders }
