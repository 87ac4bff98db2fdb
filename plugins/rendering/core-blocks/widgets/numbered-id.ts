import type { Rendering } from '../renderer.ts'

/** Returns an ID that is unique within a post: `MARK-block-search__input-1`. */
export function numberedId(prefix: string, { post, scope }: Rendering): string {
  const counter = scope.get(`core-blocks: IDs ${prefix} of ${post?.id ?? 0}`, () => ({ last: 0 }))
  counter.last += 1
  return `${prefix}-${counter.last}`
}
