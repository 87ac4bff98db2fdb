import { errors, type RestError } from '../../public.ts'

/** Returns the error of a value with the message of the broken rule, in the words that clients know. */
export function reworded(error: RestError): RestError {
  const { rule } = error
  if (rule === undefined || rule === null) return error
  const message = messageOf(rule.code, rule.message)
  const named = errors.rest_invalid_param(message, { data: error.data })
  named.rule = { ...rule, message }
  return named
}

function messageOf(code: string, message: string): string {
  switch (code) {
    case 'rest_property_required': {
      const [param, name] = message.slice(0, -1).split(' lacks the required property ')
      return `${name} is a required property of ${param}.`
    }
    case 'rest_not_in_enum': {
      const [param, values = ''] = message.slice(0, -1).split(' is not one of ')
      return `${param} is not ${listOf(values.split(', '))}.`
    }
    case 'rest_too_few_items':
    case 'rest_too_many_items':
      return message.replace(' must have at ', ' must contain at ')
    case 'rest_too_long':
      return message.replace(' must have at most ', ' must be at most ').replace(/\.$/, ' long.')
    default:
      return message
  }
}

function listOf(values: readonly string[]): string {
  if (values.length < 2) return values.join('')
  const last = values.at(-1)!
  return `one of ${values.slice(0, -1).join(', ')}${values.length > 2 ? ',' : ''} and ${last}`
}
