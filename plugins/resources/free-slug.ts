import { cutSlug, MAX_SLUG_BYTES } from './slug.ts'

/**
 * Returns the first free slug of `slug`, `slug-2`, `slug-3` … It tests one candidate, then ten, then a hundred and so
 * on, so that it usually takes one statement. The caller must prevent other writes until the slug is stored.
 * @param findTaken returns which of some slugs are not available
 * @param options.first number to begin with, if lower ones are known to be taken
 * @param options.most candidates per test
 */
export async function firstFreeSlug(
  slug: string,
  findTaken: (slugs: readonly string[]) => Promise<ReadonlySet<string>>,
  { first = 1, most = 1000 }: { first?: number; most?: number } = {},
): Promise<string> {
  let from = first
  for (let size = first === 1 ? 1 : 10; ; size = Math.min(size * 10, most)) {
    const candidates = numbered(slug, from, from + size)
    const [free] = new Set(candidates).difference(await findTaken(candidates))
    if (free !== undefined) return free
    from += size
  }
}

/** Returns the slug with each number from `from` up to, but not including, `to`. */
function numbered(slug: string, from: number, to: number): string[] {
  const slugs: string[] = []
  for (let number = from; number < to; number += 1) {
    const suffix = `-${number}`
    slugs.push(number === 1 ? slug : `${cutSlug(slug, MAX_SLUG_BYTES - suffix.length)}${suffix}`)
  }
  return slugs
}
