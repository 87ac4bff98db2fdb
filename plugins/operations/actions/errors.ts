import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  ACTION_INVALID: (name: string, reason: string) => `The action "${name}" cannot be registered: ${sentence(reason)}`,
  ACTION_TAKEN: (name: string, owner: string) =>
    `The action "${name}" is already registered by ${owner}. Choose another name.`,
  action_not_found: [
    404,
    (name: string, near: string) => `There is no action ${name}${near === '' ? '.' : `: did you mean ${near}?`}`,
  ],
  action_forbidden: [403, (name: string) => `Sorry, you are not allowed to run the action ${name} with this input.`],
  action_list_forbidden: [403, 'Sorry, you are not allowed to list the actions of this site. Log in.'],
  action_output_invalid: (name: string) =>
    `The output of the action ${name} does not match its output_schema and was not sent. See the log for the reason.`,
  action_has_written: (name: string) =>
    `The action ${name} is declared as read-only but tried to write. Nothing was written. Remove "readonly" from its annotations.`,
})
