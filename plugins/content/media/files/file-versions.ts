/** What a version of an image adds to the name of its original, before the extension: `-scaled`, `-300x200`. */
const VERSION = '(?:-(?:scaled|rotated|e\\d+))?(?:-\\d+x\\d+)?'
const WITH_VERSION = new RegExp(`${VERSION}$`)

/** The path that all versions of a file have in common, and their extension. */
export function originalPath(name: string): { path: string; extension: string } {
  const dot = name.lastIndexOf('.')
  const end = dot > name.lastIndexOf('/') ? dot : name.length
  return { path: name.slice(0, end).replace(WITH_VERSION, ''), extension: name.slice(end + 1) }
}

/** Whether a name, without its extension, reads like that of a version of another file. */
export function isVersion(stem: string): boolean {
  return WITH_VERSION.exec(stem)?.[0] !== ''
}

/** The names that the attachment of a file may have as its main file: `names`, or `edited` followed by digits. */
export function originalsOf(name: string): { names: readonly string[]; edited: string } {
  const { path, extension } = originalPath(name)
  const originals = ['', '-scaled', '-rotated'].map((suffix) => `${path}${suffix}.${extension}`)
  // The preview of a document is an image beside it.
  const document = path.endsWith('-pdf') ? [`${path.slice(0, -'-pdf'.length)}.pdf`] : []
  return { names: [...new Set([name, ...originals, ...document])], edited: `${path}-e` }
}

/** A pattern of all versions of a file. @param path as `originalPath` gives it */
export function versionPattern({ path, extension }: { path: string; extension: string }): string {
  return `${escapeRegExp(path)}${VERSION}\\.${escapeRegExp(extension)}`
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
