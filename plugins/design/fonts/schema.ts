import type { PropertySchema } from '../../resources/index.ts'
import { THEME_JSON_VERSION } from './fonts-controller.ts'

/** The version of theme.json that settings are written in; what is shown is of the newest. */
export function themeJsonVersion(): PropertySchema {
  return {
    description: 'Version of theme.json that the settings are written in.',
    type: 'integer',
    default: THEME_JSON_VERSION,
    minimum: 2,
    maximum: THEME_JSON_VERSION,
  }
}
