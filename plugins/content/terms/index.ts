import type DataLoader from 'dataloader'
import { Controller, definePlugin, type RequestCache } from '../../../kernel/index.ts'
import { TermsController } from './controller.ts'
import { TermModel, type PostTerms, type Term, type TermList, type TermQuery } from './model.ts'
import { TermWriter, type NewTerm, type TermChange } from './writer.ts'

export type { PostTerms, Term, TermList, TermOrder, TermQuery } from './model.ts'
export type { NewTerm, TermChange } from './writer.ts'

/** What taps are given of the terms of a taxonomy. */
export interface TermTypes {
  shown: Term
  item: Term
  change: NewTerm | TermChange
  query: TermQuery
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    category: TermTypes
    post_tag: TermTypes
  }
  interface Services {
    /** The terms of every taxonomy. */
    terms: Terms
  }
}

/** The terms of every taxonomy. What one request reads of many terms or posts comes from one statement. */
export interface Terms {
  /** A term; undefined when there is none of this id. Concurrent calls share a statement. */
  get(id: number, scope: RequestCache): Promise<Term | undefined>
  /** The terms that a query asks for, and how many there are without its limit. Asks for no rights. */
  query(query: TermQuery, scope: RequestCache): Promise<TermList>
  /** Loads the terms of posts by taxonomy, each list by name: `(await terms.ofPosts(scope).load(12)).get('category')`. */
  ofPosts(scope: RequestCache): DataLoader<number, PostTerms>
  /**
   * Stores a new term. Asks for no rights; clear the scopes that have read terms.
   * @throws empty_term_name, rest_invalid_param, term_exists (its data names the term that is there), rest_term_invalid
   *   for a parent that is not
   */
  create(term: NewTerm): Promise<Term>
  /**
   * Changes a term. A parent that is the term itself, or below it, becomes none.
   * @throws empty_term_name, rest_invalid_param, duplicate_term_slug, rest_term_invalid
   */
  update(id: number, change: TermChange): Promise<Term>
  /**
   * Deletes a term for good, with its meta. Terms below it move up, and content that has no other term of the taxonomy
   * gets the default one, where there is one.
   * @throws rest_term_invalid, rest_cannot_delete for the default term
   */
  delete(id: number): Promise<void>
  /** The term that content of a taxonomy has when it has no other; 0 for none. Such a term cannot be deleted. */
  defaultOf(taxonomy: string): Promise<number>
  /** Counts anew how much published content terms have, after somebody gave or took terms, or published content. */
  recount(ids: readonly number[]): Promise<void>
}

/** Terms: reading and writing them, and the routes of every taxonomy that the interface serves. */
export default definePlugin({
  name: 'terms',
  needs: ['store', 'settings', 'roles', 'content-types', 'taxonomies', 'permalinks', 'html'],
  after: ['meta', 'extra-fields'],
  // Posts ask for their terms, and the terms of a post are for those who may read it.
  uses: ['posts'],
  apply(plugin) {
    const { hooks, log, provide, services } = plugin
    const model = new TermModel(services.store)
    const writer = new TermWriter(plugin)
    provide('terms', {
      get: (id, scope) => model.byId(scope).load(id),
      query: (query, scope) => model.query(query, scope),
      ofPosts: (scope) => model.ofPosts(scope),
      create: (term) => writer.create(term),
      update: (id, change) => writer.update(id, change),
      delete: (id) => writer.delete(id),
      defaultOf: (taxonomy) => writer.defaultOf(taxonomy),
      recount: (ids) => writer.recount(ids),
    })

    // Late, so that taxonomies, meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tap({ name: 'terms', stage: 100 }, (server) => {
      for (const taxonomy of services.taxonomies.exposed()) {
        const Class = taxonomy.rest_controller_class ?? TermsController
        if (typeof Class === 'function' && Class.prototype instanceof Controller)
          new Class(plugin, taxonomy.name).register(server)
        else log.debug({ taxonomy: taxonomy.name }, 'a taxonomy without a usable controller is not served')
      }
    })
  },
})
