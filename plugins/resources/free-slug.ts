import { cutSlug, LONGEST_SLUG } from './slug.ts'

/**
 * The first slug of `slug`, `slug-2`, `slug-3` … that is not taken. It looks at one first, then at ten, at a hundred and
 * so on, so that it mostly takes one statement. Whoever stores the slug keeps others from writing meanwhile.
 * @param taken those of some slugs that cannot be used
 * @param first the number to begin with, where the slugs before are known to be taken
 * @param most how many are looked at together
 */
export async function firstFreeSlug(
  slug: string,
  taken: (slugs: readonly string[]) => Promise<ReadonlySet<string>>,
  { first = 1, most = 1000 }: { first?: number; most?: number } = {},
): Promise<string> {
  let from = first
  for (let size = first === 1 ? 1 : 10; ; size = Math.min(size * 10, most)) {
    const candidates = numbered(slug, from, from + size)
    const [free] = new Set(candidates).difference(await taken(candidates))
    if (free !== undefined) return free
    from += size
  }
}

/** The slug with each number from `from` up to, but not including, `to`. */
function numbered(slug: string, from: number, to: number): string[] {
  const slugs: string[] = []
  for (let number = from; number < to; number += 1) {
    const suffix = `-${number}`
    slugs.push(number === 1 ? slug : `${cutSlug(slug, LONGEST_SLUG - suffix.length)}${suffix}`)
  }
  return slugs
}
