import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { Term } from './query.ts'
import { TermReader } from './reader.ts'
import { TermWriter, type NewTerm, type TermChange } from './writer.ts'

/**
 * Reads and writes the terms of every taxonomy. Reads of many terms or posts within one request are batched into one
 * statement.
 */
export class Terms extends TermReader {
  /** Creates and updates terms for a caller that already holds the write turn. @internal */
  readonly writer: TermWriter
  readonly #store: Store

  constructor(plugin: PluginContext) {
    super(plugin.services.store, plugin.services.fieldIndex)
    this.#store = plugin.services.store
    this.writer = new TermWriter(plugin)
  }

  /**
   * Creates a term. Does not check permissions. The caller must clear request caches that have read terms.
   * @throws empty_term_name, rest_invalid_param, term_exists (its data has the ID of the existing term),
   * rest_term_invalid for a missing parent
   */
  create(term: NewTerm): Promise<Term> {
    return this.#store.inTurn(() => this.writer.create(term))
  }

  /**
   * Changes a term. If the parent is the term itself or a descendant, the term moves to the top level.
   * @throws empty_term_name, rest_invalid_param, duplicate_term_slug, rest_term_invalid
   */
  update(id: number, change: TermChange): Promise<Term> {
    return this.#store.inTurn(() => this.writer.update(id, change))
  }

  /**
   * Permanently deletes a term with its meta. Its children move up to its parent, and posts without another term of the
   * taxonomy get the default term, if there is one.
   * @throws rest_term_invalid, rest_cannot_delete for the default term
   */
  delete(id: number): Promise<void> {
    return this.writer.delete(id)
  }

  /**
   * ID of the default term of a taxonomy, which posts without another term get; 0 if the taxonomy has no default. It
   * cannot be deleted.
   */
  defaultOf(taxonomy: string): Promise<number> {
    return this.writer.defaultOf(taxonomy)
  }

  /** Recounts the published posts of terms, after terms were assigned or removed, or posts were published. */
  recount(ids: readonly number[]): Promise<void> {
    return this.writer.recount(ids)
  }

  /**
   * Adjusts the counts of terms that a published post has gained and lost. Call it within the write turn, in the
   * transaction that changes the relationships; otherwise concurrent writers lose a count.
   */
  count(gained: readonly number[], lost: readonly number[]): Promise<void> {
    return this.writer.count(gained, lost)
  }
}
