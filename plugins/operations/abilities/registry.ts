import { OwnedMap } from '../../../kernel/index.ts'
import { toJsonSchema, type Actions } from '../actions/index.ts'
import type { Abilities, Ability, AbilityCategory } from './ability.ts'
import { errors } from './errors.ts'

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** What an ability tells beside what its action does. */
interface Registered {
  readonly name: string
  readonly isShown: boolean
  readonly isPublic: boolean
  /** As its plugin has written it, as JSON Schema. */
  readonly output: Readonly<Record<string, unknown>>
}

/**
 * The abilities of a site: what plugins register as such, and the actions that are routes.
 * @param own what runs the former
 * @param actions those of the site
 */
export function createAbilities(own: Actions, actions: Actions): Abilities {
  const categories = new OwnedMap<AbilityCategory>('ability category')
  /** By name; whether each is shown, what it returns, and whether it is meant for anybody. */
  const abilities = new OwnedMap<Registered>('ability')

  const runnerOf = (name: string) => (abilities.get(name) === undefined ? actions : own)

  return {
    registerCategory(slug, { label, description, meta = {} }) {
      if (!SLUG.test(slug)) throw errors.ABILITY_INVALID(slug, 'a slug has small letters, digits and dashes')
      if (label.trim() === '') throw errors.ABILITY_INVALID(slug, 'it has no label')
      const owner = categories.ownerOf(slug)
      if (owner !== undefined) throw errors.ABILITY_CATEGORY_TAKEN(slug, owner)
      categories.set(slug, { slug, label, description, meta })
    },
    register(name, { public: isPublic = false, ...spec }) {
      if (categories.get(spec.category) === undefined) {
        throw errors.ABILITY_INVALID(name, `its category "${spec.category}" is not registered`)
      }
      own.register(name, spec)
      const output = toJsonSchema(spec.output_schema ?? {})
      abilities.set(name, { name, isShown: spec.show_in_rest !== false, isPublic, output })
    },
    list() {
      const registered = [...abilities.values()].flatMap(({ name, isShown, isPublic, output }): Ability[] => {
        const action = own.get(name)
        if (!isShown || action === undefined) return []
        return [{ ...action, output_schema: output, public: isPublic }]
      })
      const routes = actions.list().filter(({ name, meta }) => meta.show_in_rest && abilities.get(name) === undefined)
      return [...registered, ...routes.map((action) => ({ ...action, public: false }))]
    },
    mayExecute: (name, input, caller) => runnerOf(name).mayExecute(name, input, caller),
    execute: (name, input, caller) => runnerOf(name).execute(name, input, caller),
    categories() {
      const registered = [...categories.values()]
      const known = new Set(registered.map(({ slug }) => slug))
      const named = new Set(this.list().map(({ category }) => category))
      const others = [...named].filter((slug) => !known.has(slug))
      return [...registered, ...others.map((slug) => ({ slug, label: slug, description: '', meta: {} }))]
    },
  }
}
