import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { Term } from './query.ts'
import { TermReader } from './reader.ts'
import { TermWriter, type NewTerm, type TermChange } from './writer.ts'

/** The terms of every taxonomy. What one request reads of many terms or posts comes from one statement. */
export class Terms extends TermReader {
  /** Creates and updates terms for a caller who has the turn of the writers. @internal */
  readonly writer: TermWriter
  readonly #store: Store

  constructor(plugin: PluginContext) {
    super(plugin.services.store, plugin.services.fieldIndex)
    this.#store = plugin.services.store
    this.writer = new TermWriter(plugin)
  }

  /**
   * Stores a new term. Asks for no permission; clear the request caches that have read terms.
   * @throws empty_term_name, rest_invalid_param, term_exists (its data names the term that is there), rest_term_invalid
   *   for a parent that is not
   */
  create(term: NewTerm): Promise<Term> {
    return this.#store.inTurn(() => this.writer.create(term))
  }

  /**
   * Changes a term. A parent that is the term itself, or below it, becomes none.
   * @throws empty_term_name, rest_invalid_param, duplicate_term_slug, rest_term_invalid
   */
  update(id: number, change: TermChange): Promise<Term> {
    return this.#store.inTurn(() => this.writer.update(id, change))
  }

  /**
   * Deletes a term for good, with its meta. Terms below it move up, and posts that have no other term of the taxonomy
   * get the default one, where there is one.
   * @throws rest_term_invalid, rest_cannot_delete for the default term
   */
  delete(id: number): Promise<void> {
    return this.writer.delete(id)
  }

  /** The ID of the term that posts get when they have no other of the taxonomy; 0 for none. It cannot be deleted. */
  defaultOf(taxonomy: string): Promise<number> {
    return this.writer.defaultOf(taxonomy)
  }

  /** Counts the published posts of terms again, after terms were assigned or removed, or posts were published. */
  recount(ids: readonly number[]): Promise<void> {
    return this.writer.recount(ids)
  }

  /**
   * Counts a published post of which it is known that it has come to terms, and left others. To be called in turn, in the
   * transaction in which it has, or two at once would be counted as one that reads what is not there yet.
   */
  count(gained: readonly number[], lost: readonly number[]): Promise<void> {
    return this.writer.count(gained, lost)
  }
}
