import { fileURLToPath } from 'node:url'

/** Folders of this package, which are not code of plugin authors. */
const OURS = ['kernel/', 'plugins/', 'bin/'].map((folder) => new URL(`../../../${folder}`, import.meta.url).href)
/** Frames of a stack, except async ones: `at name (file:///…/garden.ts:12:7)`. */
const FRAME = /^ +at (?!async )(?:[^\n]*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()\n]*?):(\d+):(\d+)\)?$/gm

/**
 * Returns the first location in a stack that is code of a plugin author: `/site/garden.ts:12:7`. Returns null if all of
 * it is code of this package.
 */
export function placeIn(stack: string | undefined): string | null {
  const places: string[] = []
  for (const [, file = '', line, column] of (stack ?? '').matchAll(FRAME)) {
    const url = file.startsWith('/') ? `file://${file}` : file
    if (OURS.some((folder) => url.startsWith(folder)) || url.includes('/node_modules/tapable/')) continue
    const place = `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}:${column}`
    if (!url.includes('/node_modules/')) return place
    places.push(place)
  }
  // A plugin can be a package itself.
  return places[0] ?? null
}

/** Frames of a stack that are searched for the author's code. */
const MAX_FRAMES = 12

/** Captures the location of the call in the author's code. The text is created on demand. */
export function rememberPlace(): () => string | null {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = MAX_FRAMES
  const here = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  return () => placeIn(here.stack)
}
