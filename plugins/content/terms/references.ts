import { invalidParam, type PluginContext } from '../../../kernel/index.ts'
import { referencedId } from '../../resources/index.ts'

/** Registers the source of terms, whose taxonomy the argument declares. */
export function registerReferences({ services }: PluginContext): void {
  services.resources.registerReference('term', async (value, { scope }, argument, taxonomy) => {
    const exists = (await services.terms.get(referencedId(value), scope))?.taxonomy === taxonomy
    return exists ? null : invalidParam(argument, `${argument} must be the ID of an existing term: ${taxonomy}.`)
  })
}
