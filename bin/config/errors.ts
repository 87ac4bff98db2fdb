import { defineErrors, sentence } from '../../kernel/index.ts'

/** Errors of the config, of loading the plugins that it names, and of commands. */
export const errors = defineErrors({
  CONFIG_NOT_FOUND: (file: string) =>
    `The config file ${file} does not exist. Pass the path of an existing file, or omit --config.`,
  CONFIG_ABOVE: (folder: string, file: string) =>
    `${folder} is a subfolder of the site of ${file}. Change to the folder of that file, or pass it with --config.`,
  CONFIG_UNREADABLE: (file: string, reason: string) => `${file} cannot be read: ${sentence(reason)}`,
  CONFIG_UNKNOWN_KEY: (key: string, near: string) =>
    `The config key ${key} is unknown${near === '' ? '' : `: did you mean ${near}?`}`,
  CONFIG_INVALID: (key: string, reason: string) => `The config value ${key} ${reason}.`,
  SECRET_MISSING: (label: string, reason: string) => `There is no value for ${label}: ${reason}.`,
  PLUGIN_NAME_TAKEN: (name: string) => `Two plugins are named ${name}: rename one, or switch one off.`,
  PLUGIN_UNKNOWN: (name: string, near: string) =>
    `There is no plugin ${name}${near === '' ? '.' : `: did you mean ${near}?`} Name a default, a file (./…) or an installed package.`,
  PLUGIN_NOT_A_PLUGIN: (source: string, reason: string) =>
    `${source} does not export a plugin: it ${sentence(reason)} Write export default definePlugin({ name, apply }).`,
  PLUGIN_UNLOADABLE: (source: string, reason: string) =>
    `The plugin ${source} could not be loaded: ${sentence(reason)}`,
  PLUGIN_NEED_MISSING: (missing: string) => missing,
  PLUGIN_NEEDS_CYCLE: (cycle: string) => `These plugins need each other in a cycle: ${cycle}. Remove one of the needs.`,
  PLUGIN_OPTION_UNKNOWN: (name: string, option: string, near: string) =>
    `${name} has no option ${option}${near === '' ? '' : `: did you mean ${near}?`}`,
  PLUGIN_OPTIONS_INVALID: (name: string, option: string, reason: string) =>
    `The option "${option}" of ${name} ${reason}.`,
  COMMAND_INVALID: (name: string, reason: string) => `The command "${name}" cannot be added: ${sentence(reason)}`,
  COMMAND_TAKEN: (name: string, owner: string) =>
    `The command "${name}" already exists: it was added by ${owner}. Choose another name.`,
})
