import { originalPath, versionPattern } from './file-versions.ts'

/** The texts of a post that can show a file. */
interface Texts {
  readonly content: string
  readonly excerpt: string
}

/** Finds posts whose texts contain the URL of a file or of one of its versions. */
export interface FileMentions {
  /**
   * Search terms: one of them finds each post that shows the file. Empty if the name of the file cannot be searched
   * for.
   */
  readonly searches: readonly string[]
  /** Checks whether a found post shows this file, and not one whose name only starts the same. */
  readonly isIn: (post: Texts) => boolean
}

/** @param name relative to the uploads folder: `2025/01/photo-300x200.jpg` */
export function fileMentions(name: string): FileMentions {
  const { path, extension } = originalPath(name)
  if (path.includes('"')) return { searches: [], isIn: () => false }
  const paths = [...new Set([path, encodeURI(path.toWellFormed())])]
  const urls = paths.map((one) => new RegExp(`/${versionPattern({ path: one, extension })}(?![\\w-])`, 'i'))
  return {
    searches: paths.flatMap((one) => [`"/${one}."`, `"/${one}-"`]),
    isIn: ({ content, excerpt }) => urls.some((url) => url.test(content) || url.test(excerpt)),
  }
}
