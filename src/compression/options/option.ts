/** What can be asked of a compression, and how each entry point offers it. */
import type { z } from 'zod';
import type { AskedFormats, Formats } from '../../contract/formats';
import type { ByteLimit, DeploymentPolicy } from '../domain/compression-policy';
import type { CodecPackage } from '../packages/codec-package';

/** Values of one option or of several: members of a policy, and parts of which members are made. */
export interface Asked extends Partial<Omit<DeploymentPolicy, 'formats' | 'byteLimit'>>, ByteLimitOptions {
  readonly formats?: AskedFormats;
  /** As text: a setting may name formats that another one adds. */
  readonly formatNames?: string;
  readonly formatModules?: readonly CodecPackage[];
  readonly knownFormats?: Formats;
}

/** What options depend on besides their value. */
export interface Deployment {
  readonly policy: DeploymentPolicy;
  readonly knownFormats: Formats;
}

export interface ByteLimitOptions {
  readonly maxBytes?: ByteLimit['maxBytes'] | undefined;
  readonly allow?: 'any' | undefined;
}

/** A row describes an entry point completely or not at all. */
export type Option = {
  readonly schema: z.ZodType<Asked, string>;
} & (Setting | { readonly variable?: never }) &
  (Parameter | { readonly parameter?: never }) &
  (Flag | { readonly flag?: never });

/** An environment variable, with its text for docs/configuration.md. */
interface Setting {
  readonly variable: string;
  readonly defaultValue: string;
  readonly meaning: string;
}

/** A query parameter, with its text for the OpenAPI document. */
interface Parameter {
  readonly parameter: string;
  readonly description: string;
  readonly example: string | number;
  readonly pattern?: string;
  /** The value for requests without it. */
  readonly effectiveDefault?: (policy: DeploymentPolicy) => string | number;
  /** Reads the value if the deployment limits it further. */
  readonly forDeployment?: (deployment: Deployment) => z.ZodType<Asked>;
}

/** An option of the command line, as commander takes it. */
interface Flag {
  readonly flag: string;
  readonly help: string;
  readonly isList?: boolean;
}
