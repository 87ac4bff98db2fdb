import { defineErrors, type RestError } from '../../../kernel/index.ts'

/**
 * Errors of schema rules, one code each. They appear in `data.details`, next to the single code `rest_invalid_param`
 * that the specification has for all of them, and as `rule` of the error.
 */
export const ruleErrors = defineErrors({
  rest_invalid_type: [400, (message: string) => message],
  rest_not_in_enum: [400, (message: string) => message],
  rest_too_few_items: [400, (message: string) => message],
  rest_too_many_items: [400, (message: string) => message],
  rest_duplicate_items: [400, (message: string) => message],
  rest_too_short: [400, (message: string) => message],
  rest_too_long: [400, (message: string) => message],
  rest_invalid_pattern: [400, (message: string) => message],
  rest_out_of_bounds: [400, (message: string) => message],
  rest_invalid_multiple: [400, (message: string) => message],
  rest_property_required: [400, (message: string) => message],
  rest_additional_properties_forbidden: [400, (message: string) => message],
  rest_too_few_properties: [400, (message: string) => message],
  rest_too_many_properties: [400, (message: string) => message],
  rest_no_matching_schema: [400, (message: string) => message],
  rest_one_of_multiple_matches: [400, (message: string) => message],
  rest_invalid_date: [400, (message: string) => message],
  rest_invalid_email: [400, (message: string) => message],
  rest_invalid_ip: [400, (message: string) => message],
  rest_invalid_uuid: [400, (message: string) => message],
  rest_invalid_hex_color: [400, (message: string) => message],
})

export type RuleCode = keyof typeof ruleErrors

/**
 * Returns the error with the code of its broken rule, for values that are not arguments of a route, such as meta. Any
 * other error is returned unchanged.
 */
export function namedByRule(error: RestError): RestError {
  const { rule } = error
  if (rule === undefined || rule === null) return error
  const named = ruleErrors[rule.code as RuleCode](rule.message)
  if (rule.data !== null) named.additionalData.push(rule.data)
  return named
}
