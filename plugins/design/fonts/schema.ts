import type { PropertySchema } from '../../resources/index.ts'
import { THEME_JSON_VERSION } from './fonts-controller.ts'

/** Argument for the `theme.json` version of the settings; responses always use the newest one. */
export function themeJsonVersion(): PropertySchema {
  return {
    description: 'Version of theme.json of the settings.',
    type: 'integer',
    default: THEME_JSON_VERSION,
    minimum: 2,
    maximum: THEME_JSON_VERSION,
  }
}
