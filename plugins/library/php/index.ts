export { serializePhp } from './serialize.ts'
export {
  phpToJson,
  unserializePhp,
  type Peculiarities,
  type PhpJson,
  type PhpMap,
  type PhpValue,
} from './unserialize.ts'
