import { doNotKeep, type PluginContext, requestOf } from '../../../../kernel/index.ts'
import { pageQuery } from '../page-context.ts'
import type { Rendering } from '../renderer.ts'

/** The name of a parameter that says which page of a list in content is shown. */
const PAGE = /^query(?:-\d{1,15})?-page$/

/** Has contents made anew for requests that ask for another page of a list in them: what is kept is the first page. */
export function keepFirstPagesAlone({ hooks }: PluginContext): void {
  hooks.rest_pre_dispatch.tap({ name: 'core-blocks', stage: -100 }, (result, _server, { parent, query, scope }) => {
    // Once for all requests below it, too.
    if (parent === null && asksForPage(Object.keys(query))) scope.get(PAGE, () => void (scope.since = null))
    return result
  })
}

/** The page that the request asks for, from 1. @param parameter its name in the query */
export function askedPage(parameter: string, most: number, { scope }: Rendering): number {
  const query = pageQuery(scope)
  const asked = query === null ? requestOf(scope)?.query : Object.fromEntries(query)
  if (asked === undefined || !asksForPage(Object.keys(asked))) return 1
  doNotKeep('another page of a list is asked for')
  return Math.min(Math.max(Math.trunc(Number(asked[parameter])) || 1, 1), most)
}

/** Whether one of these parameters asks for another page of a list in content. */
export function asksForPage(names: readonly string[]): boolean {
  return names.some((name) => PAGE.test(name))
}
