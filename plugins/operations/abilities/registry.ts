import { OwnedMap } from '../../../kernel/index.ts'
import type { Actions } from '../actions/index.ts'
import type { Abilities, AbilityCategory } from './ability.ts'
import { errors } from './errors.ts'

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Creates the abilities of a site from its actions, with categories. */
export function createAbilities(actions: Actions): Abilities {
  const categories = new OwnedMap<AbilityCategory>('ability category')
  return {
    registerCategory(slug, { label, description, meta = {} }) {
      if (!SLUG.test(slug)) throw errors.ABILITY_INVALID(slug, 'a slug must have lowercase letters, digits and dashes')
      if (label.trim() === '') throw errors.ABILITY_INVALID(slug, 'it has no label')
      const owner = categories.ownerOf(slug)
      if (owner !== undefined) throw errors.ABILITY_CATEGORY_TAKEN(slug, owner)
      categories.set(slug, { slug, label, description, meta })
    },
    register(name, spec) {
      if (categories.get(spec.category) === undefined)
        throw errors.ABILITY_INVALID(name, `its category "${spec.category}" is not registered`)
      actions.register(name, { ...spec, ability_only: true })
    },
    list: () => actions.abilities(),
    mayExecute: (name, input, caller) => actions.mayExecute(name, input, caller),
    execute: (name, input, caller) => actions.execute(name, input, caller),
    categories() {
      const registered = [...categories.values()]
      const registeredSlugs = new Set(registered.map(({ slug }) => slug))
      const named = new Set(this.list().map(({ category }) => category))
      const others = [...named].filter((slug) => !registeredSlugs.has(slug))
      return [...registered, ...others.map((slug) => ({ slug, label: slug, description: '', meta: {} }))]
    },
  }
}
