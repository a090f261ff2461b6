/** A row of the table of options: one thing that can be asked of a compression, and how each door offers it. */
import type { z } from 'zod';
import type { AskedFormats, ResultFormats } from '../../contract/result-formats';
import type { ByteLimit, DeploymentPolicy } from '../domain/compression-policy';
import type { CodecPackage } from '../packages/codec-package';

/** Requested values: members of the policy, and the parts from which members are made. */
export interface Asked extends Partial<Omit<DeploymentPolicy, 'formats' | 'byteLimit'>>, ByteLimitOptions {
  readonly formats?: AskedFormats;
  /** The same as text: a setting may name formats that another one adds. */
  readonly formatNames?: string;
  readonly formatModules?: readonly CodecPackage[];
  readonly resultFormats?: ResultFormats;
}

/** The facts of a deployment that its options depend on. */
export interface Deployment {
  readonly policy: DeploymentPolicy;
  /** The formats that results may have. */
  readonly resultFormats: ResultFormats;
}

/** See ByteLimit. */
export interface ByteLimitOptions {
  readonly maxBytes?: ByteLimit['maxBytes'] | undefined;
  readonly allow?: 'any' | undefined;
}

/** A row describes an entry point completely or not at all. */
export type Option = {
  /** Reads the value as text, which every door can write. */
  readonly schema: z.ZodType<Asked, string>;
} & (Setting | { readonly variable?: never }) &
  (Parameter | { readonly parameter?: never }) &
  (Flag | { readonly flag?: never });

/** An environment variable, with its text for docs/configuration.md. */
interface Setting {
  readonly variable: string;
  readonly usual: string;
  readonly meaning: string;
}

/** A query parameter, with its text for the OpenAPI document. */
interface Parameter {
  readonly parameter: string;
  readonly description: string;
  readonly example: string | number;
  readonly pattern?: string;
  /** The value for requests without it. */
  readonly inForce?: (policy: DeploymentPolicy) => string | number;
  /** Reads the value if the deployment limits it further. */
  readonly under?: (deployment: Deployment) => z.ZodType<Asked>;
}

/** An option of the command line, as commander takes it. */
interface Flag {
  readonly flag: string;
  readonly help: string;
  /** Whether it may be given several times. */
  readonly isList?: boolean;
}
