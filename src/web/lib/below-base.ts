import { options, type VNode } from 'preact'
import { base } from './base.ts'

/** Puts what is before the server into the links of the app: those that begin with a slash. Once, before anything else is done with vnodes. */
export function linkBelowBase(): void {
  options.vnode = ({ type, props }: VNode<{ href?: string }>) => {
    if (type === 'a' && props.href?.[0] === '/') props.href = base + props.href
  }
}
