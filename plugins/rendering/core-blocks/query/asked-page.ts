import { doNotKeep, type PluginContext, type RestRequest, requestOf } from '../../../../kernel/index.ts'
import type { Rendering } from '../renderer.ts'

/** The name of a parameter that says which page of a list in content is shown. */
const PAGE = /^query(?:-\d{1,15})?-page$/

/** Has contents made anew for requests that ask for another page of a list in them: what is kept is the first page. */
export function keepFirstPagesAlone({ hooks }: PluginContext): void {
  hooks.rest_pre_dispatch.tap({ name: 'core-blocks', stage: -100 }, (result, _server, { parent, query, scope }) => {
    // Once for all requests below it, too.
    if (parent === null && asksForPage(query)) scope.get(PAGE, () => void (scope.since = null))
    return result
  })
}

/** The page that the request asks for, from 1. @param parameter its name in the query */
export function askedPage(parameter: string, most: number, { scope }: Rendering): number {
  const request = requestOf(scope)
  if (request === null || !asksForPage(request.query)) return 1
  doNotKeep('another page of a list is asked for')
  return Math.min(Math.max(Math.trunc(Number(request.query[parameter])) || 1, 1), most)
}

function asksForPage(query: RestRequest['query']): boolean {
  for (const name in query) if (PAGE.test(name)) return true
  return false
}
