import { defineErrors } from '../../../kernel/index.ts'

/** The errors of people: who may see and change whom, and what a person's data must be. */
export const errors = defineErrors({
  rest_user_invalid_id: [404, 'There is no user with this id.'],
  rest_not_logged_in: [401, 'You are not logged in.'],
  rest_user_cannot_view: [403, 'You may not see these users.'],
  rest_forbidden_context: [403, 'You may not see users in the context edit.'],
  rest_forbidden_orderby: [403, 'You may not sort users by this field.'],
  rest_forbidden_who: [403, 'You may not ask for the users who can be authors.'],
  rest_cannot_create_user: [403, 'You may not create users.'],
  rest_cannot_edit: [403, 'You may not change this user.'],
  rest_cannot_edit_roles: [403, 'You may not change the roles of this user.'],
  rest_user_cannot_delete: [403, 'You may not delete this user.'],
  rest_user_exists: [400, 'A user who is about to be created has no id: leave it out, or change the user of this id.'],
  rest_user_invalid_role: [400, (sentence: string) => sentence],
  rest_user_invalid_argument: [400, 'The login name of a user cannot be changed.'],
  rest_user_invalid_email: [400, 'Another user has this email address.'],
  rest_user_invalid_slug: [400, 'The slug is empty, or another user has it.'],
  rest_user_invalid_username: [400, (why: string) => `The login name ${why}.`],
  rest_user_invalid_password: [400, 'A password has 1 to 4096 characters, and no backslash among them.'],
  rest_user_invalid_reassign: [400, 'The content cannot go to this user: name another one, who is there.'],
  rest_trash_not_supported: [501, 'Users cannot be moved to the trash: set force to true to delete one.'],
  existing_user_login: [400, 'Another user has this login name.'],
  existing_user_email: [400, 'Another user has this email address.'],
})
