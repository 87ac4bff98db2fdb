import type { Term } from '../../../content/terms/index.ts'
import { numberOf } from '../attributes.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/** The term that a block is about, of a taxonomy that everybody may see. */
export async function termOf({ context }: CoreBlock, { plugin, scope }: Rendering): Promise<Term | undefined> {
  const { taxonomies, terms } = plugin.services
  const id = numberOf(context, 'termId', 0)
  const term = id === 0 ? undefined : await terms.get(id, scope)
  return term !== undefined && taxonomies.get(term.taxonomy)?.publicly_queryable === true ? term : undefined
}
