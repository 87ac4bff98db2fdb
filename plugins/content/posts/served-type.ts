import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { seesTerms, type Taxonomy } from '../taxonomies/index.ts'

/** Features that posts of a type have although the type does not say so. */
const IMPLIED_FEATURES: Readonly<Record<string, readonly string[]>> = { page: ['excerpt'] }

/** A content type that the REST API serves, with its taxonomies. */
export class ServedType {
  readonly type: ContentType
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services'], type: ContentType) {
    this.#services = services
    this.type = type
  }

  /** Whether posts of the type have a feature. */
  has(feature: string): boolean {
    const { name, supports } = this.type
    return Object.hasOwn(supports, feature) || (IMPLIED_FEATURES[name]?.includes(feature) ?? false)
  }

  /** Taxonomies of the type that the REST API serves. */
  get taxonomies(): Taxonomy[] {
    return this.#services.taxonomies.ofType(this.type.name).filter((taxonomy) => taxonomy.show_in_rest)
  }

  /** Those whose terms the user may see, found out once for all items of a request. */
  taxonomiesFor({ scope, user }: RestRequest): readonly Taxonomy[] {
    const { capabilities } = this.#services
    return scope.get(this, () => this.taxonomies.filter((taxonomy) => seesTerms(capabilities, user, taxonomy)))
  }
}
