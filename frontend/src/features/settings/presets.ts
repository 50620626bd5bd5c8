import { t } from '$lib/language/language'

/** The protocols of providers, in the words of the settings file. */
export const wires = [
  { value: 'chat', label: t`OpenAI Chat Completions` },
  { value: 'responses', label: t`OpenAI Responses` },
  { value: 'anthropic', label: t`Anthropic Messages` },
]

/** A common provider with its address. */
export interface Preset {
  id: string
  name: string
  baseUrl: string
  /** The protocol, if it is not chat. */
  wire?: string
  /** Whether it requires a key. */
  key: boolean
  hint: string
  /** The page where keys are made. */
  keyPage?: string
}

export const presets: readonly Preset[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    key: true,
    hint: '',
    keyPage: 'https://platform.openai.com/api-keys',
  },
  {
    id: 'openai-responses',
    name: t`OpenAI (Responses)`,
    baseUrl: 'https://api.openai.com/v1',
    wire: 'responses',
    key: true,
    hint: t`Keeps what a model thought between its calls.`,
    keyPage: 'https://platform.openai.com/api-keys',
  },
  {
    id: 'anthropic',
    name: t`Anthropic`,
    baseUrl: 'https://api.anthropic.com/v1',
    wire: 'anthropic',
    key: true,
    hint: '',
    keyPage: 'https://console.anthropic.com/settings/keys',
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    key: true,
    hint: t`One key for models of many makers.`,
    keyPage: 'https://openrouter.ai/settings/keys',
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    key: true,
    hint: '',
    keyPage: 'https://platform.deepseek.com/api_keys',
  },
  {
    id: 'ollama',
    name: t`Ollama`,
    baseUrl: 'http://127.0.0.1:11434/v1',
    key: false,
    hint: t`A server on this machine. It needs no key, and Mutsumi finds it on its usual port.`,
  },
  {
    id: 'lmstudio',
    name: t`LM Studio`,
    baseUrl: 'http://127.0.0.1:1234/v1',
    key: false,
    hint: t`A server on this machine. It needs no key, and Mutsumi finds it on its usual port.`,
  },
  {
    id: 'llamacpp',
    name: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080/v1',
    key: false,
    hint: t`A server on this machine. It needs no key, and Mutsumi finds it on its usual port.`,
  },
  { id: 'custom', name: '', baseUrl: '', key: true, hint: t`Any server that speaks one of these protocols.` },
]

/** The place of a provider's key: the system's keyring, memory until the program ends, a variable, or none. */
export type KeyPlace = 'keyring' | 'session' | 'env' | 'none'

/** An address with its scheme added: http:// for a local machine or number, else https://. */
export function wholeAddress(text: string): string {
  const plain = text.trim()
  if (plain === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(plain)) return plain
  const host = /^\[[^\]]*\]|^[^/:?#]+/.exec(plain)?.[0] ?? ''
  const near =
    host === 'localhost' || /^(\d+\.){3}\d+$/.test(host) || host.startsWith('[') || !host.includes('.') || host.endsWith('.local')
  return `${near ? 'http' : 'https'}://${plain}`
}

/** The problem of an address, or "". The backend decides; this helps while typing. */
export function addressProblem(text: string): string {
  if (!text.trim()) return t`Enter an address, such as https://api.example.com/v1.`
  let url: URL
  try {
    url = new URL(wholeAddress(text))
  } catch {
    return t`This is no web address. Enter one such as https://api.example.com/v1.`
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return t`Start the address with https:// or http://.`
  if (url.username || url.password) return t`Leave name and password out of the address; the key has a field of its own.`
  return ''
}

/** The problem of a variable's name, or "". */
export function variableProblem(text: string): string {
  if (!text.trim()) return t`Name the environment variable that holds the key.`
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text.trim())) return t`This takes the name of a variable, such as MY_API_KEY, not the key itself.`
  return ''
}
