import Router from '@koa/router'
import type { Need, Route } from './route.ts'

type Layer = ReturnType<Router['register']>

/**
 * Where a path and a method lead: to a route, to a path that takes other methods, or nowhere. `ids` are the parts of the
 * path that its template leaves open, in their order.
 */
export type Way = { route: Route<Need>; ids: string[] } | { allowed: string[] }

const NOWHERE: Way = { allowed: [] }

/**
 * The routes as a tree, below the prefix: one router per first segment, found by a look into a map, so that the number of resources
 * costs nothing. Paths are exact: letter case, trailing slashes and percent-encoding make another path. The routers
 * only match: what a middleware chain for each route would do, the kernel does once for all.
 */
export function routeTree(prefix: string, routes: readonly Route<Need>[]): (method: string, path: string) => Way {
  const routers = new Map<string, Router>()
  const routeOf = new Map<Layer, Route<Need>>()
  for (const route of routes) {
    const segment = route.path.split('/')[1] as string
    const router = routers.get(segment) ?? new Router({ prefix, sensitive: true, strict: true })
    routers.set(segment, router)
    routeOf.set(
      router.register(route.path, [route.method], () => undefined),
      route,
    )
  }

  return function find(method, path) {
    if (!path.startsWith(`${prefix}/`) || path.includes('%')) return NOWHERE
    const end = path.indexOf('/', prefix.length + 1)
    const router = routers.get(end < 0 ? path.slice(prefix.length + 1) : path.slice(prefix.length + 1, end))
    if (!router) return NOWHERE
    const { path: matched } = router.match(path, method)
    // A path without an open part is that path alone: `events` below /webhooks is no id.
    const literal = matched.filter((each) => each.path === path)
    const layers = literal.length > 0 ? literal : matched
    const layer = layers.find((each) => each.methods.includes(method))
    if (layer) return { route: routeOf.get(layer) as Route<Need>, ids: layer.captures(path) }
    const methods = [...new Set(layers.flatMap((each) => each.methods))]
    return { allowed: methods.length > 0 ? [...methods, 'OPTIONS'] : [] }
  }
}
