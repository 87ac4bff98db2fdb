import { Controller, registerFor } from '../../resources/index.ts'
import { definePlugin } from '../../../kernel/index.ts'
import { TermChangeReader } from './change-reader.ts'
import { TermsController } from './controller.ts'
import { termHooks } from './hooks.ts'
import type { Term, TermQuery } from './query.ts'
import { registerReferences } from './references.ts'
import { Terms } from './service.ts'
import type { NewTerm, TermChange } from './writer.ts'

export { TermChangeReader } from './change-reader.ts'
export { TermsController } from './controller.ts'
export { TermInput } from './input.ts'
export { TermPermissions } from './permissions.ts'
export type { Term, TermOrder, TermQuery } from './query.ts'
export type { PostTerms, TermList } from './reader.ts'
export type { Terms } from './service.ts'
export type { NewTerm, TermChange } from './writer.ts'

/** Types of the values that taps receive for terms of a taxonomy. */
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
    /**
     * The terms of every taxonomy.
     * @example
     * const bed = await services.terms.create({ taxonomy: 'bed', name: 'South' })
     * const ofPost = (await services.terms.ofPosts(request.scope).load(12)).get('bed')
     */
    terms: Terms
  }
}

/** Reads and writes terms, and registers the routes of all taxonomies that the REST API serves. */
export default definePlugin({
  name: 'terms',
  needs: [
    'resources',
    'store',
    'field-index',
    'settings',
    'roles',
    'content-types',
    'taxonomies',
    'permalinks',
    'html',
  ],
  after: ['meta', 'extra-fields', 'changes'],
  provides: ['terms'],
  hooks: termHooks,
  // Posts read their terms, and the terms of a post are visible only to its readers.
  uses: ['posts'],
  apply(plugin) {
    const { has, hooks, log, provide, services } = plugin
    provide('terms', new Terms(plugin))
    registerReferences(plugin)
    if (has('changes')) services.changeReaders.set('term', new TermChangeReader(plugin))

    // Runs late, so that taxonomies, meta and fields that other plugins register in the same hook are known.
    hooks.rest_api_init.tap({ name: 'terms', stage: 100 }, (server) => {
      for (const taxonomy of services.taxonomies.exposed()) {
        const Class = taxonomy.rest_controller_class ?? TermsController
        if (typeof Class === 'function' && Class.prototype instanceof Controller)
          registerFor(Class, () => new Class(plugin, taxonomy.name).register(server))
        else log.debug({ taxonomy: taxonomy.name }, 'a taxonomy without a usable controller is not served')
      }
    })
  },
})
