import type { Rendering } from '../renderer.ts'

/** Returns an ID that is unique within a post: `MARK-block-search__input-1`. */
export function numberedId(prefix: string, { post, countUse }: Rendering): string {
  return `${prefix}-${countUse(`${prefix} of ${post?.id ?? 0}`)}`
}
