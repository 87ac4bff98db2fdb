/** What stands between the name of a file and its ending in the names of what was made of it. */
export const VERSION = '(?:-(?:scaled|rotated|e\\d+))?(?:-\\d+x\\d+)?'
const WITH_VERSION = new RegExp(`${VERSION}$`)

/** The path of a file that all its versions have in common, and its ending. */
export function partsOf(name: string): { path: string; ending: string } {
  const dot = name.lastIndexOf('.')
  const end = dot > name.lastIndexOf('/') ? dot : name.length
  return { path: name.slice(0, end).replace(WITH_VERSION, ''), ending: name.slice(end + 1) }
}

/** The names that the attachment of a file may be known by: `names`, or `edited` followed by digits. */
export function originalsOf(name: string): { names: readonly string[]; edited: string } {
  const { path, ending } = partsOf(name)
  const made = ['', '-scaled', '-rotated'].map((suffix) => `${path}${suffix}.${ending}`)
  // What is shown of a document is an image beside it.
  const document = path.endsWith('-pdf') ? [`${path.slice(0, -'-pdf'.length)}.pdf`] : []
  return { names: [...new Set([name, ...made, ...document])], edited: `${path}-e` }
}

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
