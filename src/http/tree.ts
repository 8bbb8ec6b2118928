import Router from '@koa/router'
import type { Context } from 'koa'
import type { Answer } from './answer.ts'
import type { Route } from './route.ts'

export const API = '/api/v1'

/**
 * The catalog as a tree: one router per first segment, found by a look into a map, so that the number of resources
 * costs nothing. Paths are exact: letter case, trailing slashes and percent-encoding make another path.
 */
export function routeTree(routes: readonly Route[], serve: (route: Route, ctx: Context) => Promise<Answer>) {
  const routers = new Map<string, Router>()
  for (const route of routes) {
    const segment = route.path.split('/')[1] as string
    const router = routers.get(segment) ?? new Router({ prefix: API, sensitive: true, strict: true })
    routers.set(segment, router)
    router.register(route.path, [route.method], (ctx) => serve(route, ctx as unknown as Context) as never)
  }
  const branches = new Map([...routers].map(([segment, router]) => [segment, router.routes()]))

  /** The answer of the route, or undefined where none has this path and method: `allowed` tells which. */
  return function dispatch(ctx: Context): Promise<Answer | undefined> | undefined {
    const { path } = ctx
    if (!path.startsWith(`${API}/`) || path.includes('%')) return undefined
    const end = path.indexOf('/', API.length + 1)
    const branch = branches.get(end < 0 ? path.slice(API.length + 1) : path.slice(API.length + 1, end))
    return branch?.(ctx as never, async () => undefined) as Promise<Answer | undefined> | undefined
  }
}

/** The methods of a path that `dispatch` found, with HEAD and OPTIONS; none where the catalog does not have it. */
export function allowed(ctx: Context): string[] {
  const matched = (ctx as unknown as { matched?: { methods: string[] }[] }).matched ?? []
  const methods = [...new Set(matched.flatMap((layer) => layer.methods))]
  return methods.length > 0 ? [...methods, 'OPTIONS'] : []
}
