import type { Site } from '../helpers/site.ts'

interface Route {
  endpoints: readonly { methods: readonly string[] }[]
}

/** Returns the paths of all routes of the index, with their groups filled with each ID in turn, and parents with the first. */
export async function pathsOf(site: Site, ids: readonly number[]): Promise<string[]> {
  const { routes } = (await site.json('/')) as { routes: Record<string, Route> }
  const named: Readonly<Record<string, readonly string[]>> = {
    type: ['post', 'page', 'attachment'],
    status: ['publish', 'private'],
    taxonomy: ['category', 'post_tag'],
    name: ['core/block', 'core/shortcode', 'core/post-content'],
  }
  return Object.keys(routes).flatMap((route) => {
    const captures = [...route.matchAll(/\(\?P?<(\w+)>(?:\[(?:[^\]\\]|\\.)*\]|\((?:[^()]|\([^()]*\))*\)|[^()])*\)/g)]
    const filled = captures.reduce<string[]>(
      (paths, [capture, name = '']) =>
        paths.flatMap((path) => {
          const values = named[name] ?? (name === 'parent' ? ids.slice(0, 1) : ids).map(String)
          return values.map((value) => path.replace(capture, value))
        }),
      [route],
    )
    return filled.map((path) => path.replace(/\(\?:[^()]*\)\?|[()?]/g, ''))
  })
}
