import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of actions. */
export const errors = defineErrors({
  ACTION_INVALID: (name: string, why: string) => `The action "${name}" cannot be registered: ${sentence(why)}`,
  ACTION_TAKEN: (name: string, owner: string) =>
    `The action "${name}" is there already: it is one of ${owner}. Choose another name.`,
  action_not_found: [
    404,
    (name: string, near: string) => `There is no action ${name}${near === '' ? '.' : `: did you mean ${near}?`}`,
  ],
  action_forbidden: [403, (name: string) => `You may not run the action ${name} with this input.`],
  action_list_forbidden: [403, 'You may not see the actions of this site: log in.'],
  action_output_invalid: (name: string) =>
    `The result of the action ${name} is not what its output_schema says, and is not sent. The log says what is wrong.`,
  action_has_written: (name: string) =>
    `The action ${name} is declared as read-only, and was about to write: nothing was written. Leave readonly out.`,
})
