import { options, type VNode } from 'preact'

// Preact 11.2 keeps what a component has drawn before: a component that draws itself again leaves its old vnode in the
// `children` that its parent was given, and that holds the old tree below it. Trees share the parts that did not change,
// and these point to whatever tree they were last in: so each holds the next, and a board of 5,000 deals grows by 45 KB with
// every event. An old vnode needs no children once the new one is in the page; without them the chain ends. The names are
// those of Preact's builds: `__c` the component of a vnode, `__v` the vnode of a component, `__k` its children, and the
// option `__c` what runs when a tree is in the page.

type Inner = { __c?: { __v?: Inner } | null; __k?: unknown }
type InnerOptions = { __c?: (root: VNode, queue: unknown[]) => void }

/** Lets go of what components have drawn before. Once, before the first render. */
export function letReplacedGo(): void {
  const inner = options as InnerOptions
  const [onVNode, onCommit] = [options.vnode, inner.__c]
  const replaced: Inner[] = []
  options.vnode = (vnode) => {
    const old = (vnode as Inner).__c?.__v
    if (old) replaced.push(old)
    onVNode?.(vnode)
  }
  inner.__c = (root, queue) => {
    for (const old of replaced.splice(0)) old.__k = null
    onCommit?.(root, queue)
  }
}
