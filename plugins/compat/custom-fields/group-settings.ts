import type { AdminView } from '../../public.ts'

/** Kind of a setting of a field. */
export type SettingKind = 'text' | 'lines' | 'number' | 'flag' | 'choices' | 'list' | readonly string[]

/** A setting of a field: its name in the definition, and the kind of its input; a list of texts is a selection. */
export type Setting = readonly [name: string, kind: SettingKind]

const DEFAULT: Setting = ['default_value', 'text']
const BOUNDS: readonly Setting[] = [
  ['min', 'number'],
  ['max', 'number'],
]
const FILE: Setting = ['return_format', ['array', 'url', 'id']]
const CHOICE: Setting = ['return_format', ['value', 'label', 'array']]
const OBJECT: Setting = ['return_format', ['object', 'id']]
const NULL: Setting = ['allow_null', 'flag']
const MULTIPLE: Setting = ['multiple', 'flag']
const TYPES: Setting = ['post_type', 'list']
const FORMAT: Setting = ['return_format', 'text']
const LENGTH: Setting = ['maxlength', 'number']

/** Settings of each type that the form of a group shows. Other settings stay as they are stored. */
export const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  text: [DEFAULT, LENGTH],
  textarea: [['default_value', 'lines'], LENGTH, ['new_lines', ['', 'br', 'wpautop']]],
  number: [DEFAULT, ...BOUNDS, ['step', 'number']],
  range: [DEFAULT, ...BOUNDS, ['step', 'number']],
  email: [DEFAULT],
  url: [DEFAULT],
  password: [],
  wysiwyg: [['default_value', 'lines']],
  image: [FILE],
  file: [FILE],
  gallery: [FILE, ...BOUNDS],
  select: [['choices', 'choices'], ['default_value', 'list'], MULTIPLE, NULL, CHOICE],
  checkbox: [['choices', 'choices'], ['default_value', 'list'], CHOICE],
  radio: [['choices', 'choices'], DEFAULT, NULL, CHOICE],
  button_group: [['choices', 'choices'], DEFAULT, NULL, CHOICE],
  true_false: [
    ['message', 'text'],
    ['default_value', 'flag'],
  ],
  link: [['return_format', ['array', 'url']]],
  oembed: [],
  post_object: [TYPES, MULTIPLE, NULL, OBJECT],
  relationship: [TYPES, ...BOUNDS, OBJECT],
  page_link: [TYPES, MULTIPLE, NULL],
  taxonomy: [
    ['taxonomy', 'text'],
    ['field_type', ['checkbox', 'multi_select', 'radio', 'select']],
    NULL,
    ['save_terms', 'flag'],
    ['load_terms', 'flag'],
    OBJECT,
  ],
  user: [['role', 'list'], MULTIPLE, NULL, ['return_format', ['array', 'object', 'id']]],
  date_picker: [FORMAT],
  date_time_picker: [FORMAT],
  time_picker: [FORMAT],
  color_picker: [DEFAULT, ['return_format', ['string', 'array']]],
  google_map: [],
  icon_picker: [['return_format', ['string', 'array']]],
  message: [['message', 'lines']],
  tab: [],
  accordion: [],
  separator: [],
  group: [],
  repeater: BOUNDS,
  flexible_content: BOUNDS,
  clone: [
    ['clone', 'list'],
    ['display', ['seamless', 'group']],
    ['prefix_name', 'flag'],
  ],
}

/** Types of fields that contain fields. The layouts of flexible content contain its fields. */
export const CONTAINERS: ReadonlySet<string> = new Set(['group', 'repeater'])

/** Fields nested deeper than this cannot be added. */
export const MAX_LEVEL = 8

/** Parameters of location rules that the server tests. */
export const PARAMS = [
  'post_type',
  'post',
  'post_status',
  'post_template',
  'post_format',
  'post_category',
  'post_taxonomy',
  'page',
  'page_template',
  'page_parent',
  'page_type',
  'taxonomy',
  'user_form',
  'user_role',
  'current_user',
  'current_user_role',
  'comment',
  'nav_menu',
  'nav_menu_item',
  'options_page',
] as const

/** Returns the label of a setting. */
export function settingLabel({ t }: AdminView, name: string): string {
  const labels: Readonly<Record<string, string>> = {
    allow_null: t('Can be empty'),
    choices: t('Choices'),
    clone: t('Keys of the cloned fields and groups'),
    default_value: t('Default value'),
    display: t('Display'),
    field_type: t('Input'),
    load_terms: t('Load the terms of the post'),
    max: t('Maximum'),
    maxlength: t('Maximum length'),
    message: t('Text'),
    min: t('Minimum'),
    multiple: t('Several values'),
    new_lines: t('Line breaks'),
    post_type: t('Content types'),
    prefix_name: t('Prefix the names of the fields'),
    return_format: t('Return format'),
    role: t('Roles'),
    save_terms: t('Save the terms of the post'),
    step: t('Step'),
    taxonomy: t('Taxonomy'),
  }
  return labels[name] ?? name
}
