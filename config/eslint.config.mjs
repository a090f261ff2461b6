import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'data/**', 'coverage/**', '**/*.d.ts'] },
  {
    files: ['src/**/*.{ts,mts,tsx}', 'test/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/web/page/tsconfig.json'],
        tsconfigRootDir: `${import.meta.dirname}/..`,
      },
    },
    rules: {
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': 'off',
      // Numbers read well in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Frameworks declare options as classes but accept object literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    // A worker's refusal crosses a process border as data and is made again.
    ignores: [
      'src/contract/image-problems.ts',
      'src/contract/comparison-problems.ts',
      'src/compression/infrastructure/process/worker-messages.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='ImageRefused']",
          message: 'Write the sentence as a function in src/contract/image-problems.ts.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
