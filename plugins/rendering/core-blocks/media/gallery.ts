import { hash } from 'node:crypto'
import { cacheUntil } from '../../../library/caching/index.ts'
import type { CoreBlock, Renderer } from '../renderer.ts'

/** How long the images of a gallery keep their random order. */
const ORDER_MILLISECONDS = 60_000

type Part = CoreBlock['inner'][number]

/** Renders a stored gallery with its images in a random order. */
export const renderGallery: Renderer = (block, rendering) => {
  // All processes of the site show the same order, and it changes at a known time: responses stay cacheable.
  const turn = Math.floor(Date.now() / ORDER_MILLISECONDS)
  cacheUntil((turn + 1) * ORDER_MILLISECONDS)
  const inner = withShuffledImages(block.inner, `${rendering.post?.id ?? 0} ${turn}`)
  return rendering.renderInner({ ...block, inner })
}

/** Returns the parts with the images in an order that depends on a seed only; all other parts keep their place. */
export function withShuffledImages(parts: readonly Part[], seed: string): Part[] {
  const isImage = (part: Part) => typeof part !== 'string' && part.name === 'core/image'
  const images = parts
    .filter(isImage)
    .map((part, at) => ({ part, key: hash('sha256', `${seed} ${at}`) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  return parts.map((part) => (isImage(part) ? images.shift()!.part : part))
}
