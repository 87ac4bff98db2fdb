import { fileURLToPath } from 'node:url'

/** Folders of this package, whose code is not that of a plugin's author. */
const OURS = ['kernel/', 'plugins/', 'bin/'].map((folder) => new URL(`../../../${folder}`, import.meta.url).href)
/** Frames of a stack, but those that are waited for: `at name (file:///…/garden.ts:12:7)`. */
const FRAME = /^ +at (?!async )(?:[^\n]*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^()\n]*?):(\d+):(\d+)\)?$/gm

/**
 * Where in the code of a plugin's author something happened, of a stack: `/site/garden.ts:12:7`. Null where all of it is
 * code of this package.
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
  // A plugin may be a package itself.
  return places[0] ?? null
}

/** Frames between the code of an author and where the place is taken. */
const MAX_FRAMES = 12

/** Remembers where a plugin's author calls what calls this; the text is made when it is asked for. */
export function rememberPlace(): () => string | null {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = MAX_FRAMES
  const here = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  return () => placeIn(here.stack)
}
