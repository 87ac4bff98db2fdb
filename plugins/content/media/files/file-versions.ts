/** Suffix of a version's file name, before the extension: `-scaled`, `-300x200`. */
const VERSION = '(?:-(?:scaled|rotated|e\\d+))?(?:-\\d+x\\d+)?'
const WITH_VERSION = new RegExp(`${VERSION}$`)

/** Returns the path that all versions of a file share, without extension, and the extension. */
export function originalPath(name: string): { path: string; extension: string } {
  const dot = name.lastIndexOf('.')
  const end = dot > name.lastIndexOf('/') ? dot : name.length
  return { path: name.slice(0, end).replace(WITH_VERSION, ''), extension: name.slice(end + 1) }
}

/** Checks whether a name without extension looks like a version of another file. */
export function isVersion(stem: string): boolean {
  return WITH_VERSION.exec(stem)?.[0] !== ''
}

/**
 * Returns the possible main files of the attachment that a file belongs to: `names`, or `edited` followed by digits.
 */
export function originalsOf(name: string): { names: readonly string[]; edited: string } {
  const { path, extension } = originalPath(name)
  const originals = ['', '-scaled', '-rotated'].map((suffix) => `${path}${suffix}.${extension}`)
  // The preview image of a PDF document is stored next to it.
  const document = path.endsWith('-pdf') ? [`${path.slice(0, -'-pdf'.length)}.pdf`] : []
  return { names: [...new Set([name, ...originals, ...document])], edited: `${path}-e` }
}

/** Returns a pattern that matches all versions of a file. @param path from `originalPath` */
export function versionPattern({ path, extension }: { path: string; extension: string }): string {
  return `${escapeRegExp(path)}${VERSION}\\.${escapeRegExp(extension)}`
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
