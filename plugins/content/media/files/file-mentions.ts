import { originalPath, versionPattern } from './file-versions.ts'

/** The texts of a post that may show a file. */
interface Texts {
  readonly content: string
  readonly excerpt: string
}

/** How posts are found whose texts contain the URL of a file or of a version of it. */
export interface FileMentions {
  /** What is searched for, one after the other: a post that shows the file is found by one of them. None for a file that no search can name. */
  readonly searches: readonly string[]
  /** Whether a post that was found shows the file, rather than one whose name begins in the same way. */
  readonly isIn: (post: Texts) => boolean
}

/** @param name below the uploads folder: `2025/01/photo-300x200.jpg` */
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
