import type { Term } from '../../../content/terms/index.ts'
import { numberOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'

/** Returns the term of the block or of the page around it, if its taxonomy is public. */
export async function termOf({ context }: CoreBlock, rendering: Rendering): Promise<Term | undefined> {
  const { plugin, scope } = rendering
  const { taxonomies, terms } = plugin.services
  const id = numberOf(context, 'termId', pageAround(rendering)?.archive?.term?.id ?? 0)
  const term = id === 0 ? undefined : await terms.get(id, scope)
  return term !== undefined && taxonomies.get(term.taxonomy)?.publicly_queryable === true ? term : undefined
}
