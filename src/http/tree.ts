import Router from '@koa/router'
import type { Need, Route } from './route.ts'

type Layer = ReturnType<Router['register']>

/**
 * The result for a path and a method: a route, or the methods that the path allows (none if it does not exist). `ids`
 * are the values of the template's parameters, in order.
 */
export type RouteMatch = { route: Route<Need>; ids: string[] } | { allowed: string[] }

const NO_MATCH: RouteMatch = { allowed: [] }

/**
 * The routes below the prefix as a tree: one router per first segment, found in a map, so that the number of resources
 * costs nothing. Paths are exact: letter case, trailing slashes and percent-encoding make a different path. The routers
 * only match: the kernel does the work of a middleware chain, once for all routes.
 */
export function routeTree(
  prefix: string,
  routes: readonly Route<Need>[],
): (method: string, path: string) => RouteMatch {
  const bySegment = Map.groupBy(routes, ({ path }) => path.split('/')[1] as string)
  const routers = new Map<string, Router>()
  const routeOf = new Map<Layer, Route<Need>>()

  /** Made at the first request for the segment: the patterns of all paths would take a while to compile. */
  function routerOf(segment: string): Router | undefined {
    const known = routers.get(segment)
    const below = known ? undefined : bySegment.get(segment)
    if (!below) return known
    const router = new Router({ prefix, sensitive: true, strict: true })
    for (const route of below)
      routeOf.set(
        router.register(route.path, [route.method], () => undefined),
        route,
      )
    routers.set(segment, router)
    return router
  }

  return function find(method, path) {
    if (!path.startsWith(`${prefix}/`) || path.includes('%')) return NO_MATCH
    const end = path.indexOf('/', prefix.length + 1)
    const router = routerOf(end < 0 ? path.slice(prefix.length + 1) : path.slice(prefix.length + 1, end))
    if (!router) return NO_MATCH
    const { path: matched } = router.match(path, method)
    // A literal path wins over a parameter: `events` below /webhooks is not an id.
    const literal = matched.filter((each) => each.path === path)
    const layers = literal.length > 0 ? literal : matched
    const layer = layers.find((each) => each.methods.includes(method))
    if (layer) return { route: routeOf.get(layer) as Route<Need>, ids: layer.captures(path) }
    const methods = [...new Set(layers.flatMap((each) => each.methods))]
    return { allowed: methods.length > 0 ? [...methods, 'OPTIONS'] : [] }
  }
}
